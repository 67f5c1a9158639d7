"""Steps and cuts for one budget, and the best that they prove."""
