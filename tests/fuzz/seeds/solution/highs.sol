Model status
Optimal

# Primal solution values
Feasible
Objective 8
# Columns 3
x0 0
x1 1
x2 0
x3 1
x4 0
# Dual solution values
None
