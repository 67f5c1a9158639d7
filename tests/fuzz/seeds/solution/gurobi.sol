# Objective value = 8
x0 1
x1 1
x2 1
