"""Steps and rounds of cuts for one budget, and the best bound that they prove."""
