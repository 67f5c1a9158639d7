Optimal - objective value 8.00000000
      0 budget               0 0.5
      1 flow0_0               1 0.5
      2 flow0_1               0 0.5
      3 x0               1 0.5
      4 x1               0 0.5
      5 x2               1 0.5
      6 x3               0 0.5
