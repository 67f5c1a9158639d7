* partcover: path, min, tokens
* word 0 is banana
* word 1 is bandana
* word 2 is ana
* x0 is token an
* x1 is token ana
* x2 is token ba
* x3 is token ban
* x4 is token banana
* x5 is token bandana
* x6 is token na
NAME path FREE
OBJSENSE
    MIN
ROWS
 N  obj
 L  budget
 E  flow0_0
 E  flow0_1
 E  flow0_2
 E  flow0_3
 E  flow0_4
 E  flow0_5
 E  flow1_0
 E  flow1_1
 E  flow1_2
 E  flow1_3
 E  flow1_4
 E  flow1_5
 E  flow1_6
 E  flow2_0
 E  flow2_1
 E  flow2_2
 L  use0_0_1
 L  use0_0_3
 L  use1_0_1
 L  use1_0_4
 L  use2_0_0
 L  use0_1_1
 L  use1_1_4
 L  use2_1_0
 L  use0_2_0
 L  use1_2_0
 L  use0_3_0
 L  use1_3_0
 L  use0_4_0
 L  use1_5_0
 L  use0_6_2
 L  use0_6_4
 L  use1_6_5
 L  use2_6_1
COLUMNS
    M0  'MARKER'  'INTORG'
    x0  budget  1
    x0  use0_0_1  -1
    x0  use0_0_3  -1
    x0  use1_0_1  -1
    x0  use1_0_4  -1
    x0  use2_0_0  -1
    x1  budget  1
    x1  use0_1_1  -1
    x1  use1_1_4  -1
    x1  use2_1_0  -1
    x2  budget  1
    x2  use0_2_0  -1
    x2  use1_2_0  -1
    x3  budget  1
    x3  use0_3_0  -1
    x3  use1_3_0  -1
    x4  budget  1
    x4  use0_4_0  -1
    x5  budget  1
    x5  use1_5_0  -1
    x6  budget  1
    x6  use0_6_2  -1
    x6  use0_6_4  -1
    x6  use1_6_5  -1
    x6  use2_6_1  -1
    M7  'MARKER'  'INTEND'
    s0_0  obj  2
    s0_0  flow0_0  1
    s0_0  flow0_1  -1
    s0_1  obj  2
    s0_1  flow0_1  1
    s0_1  flow0_2  -1
    s0_2  obj  2
    s0_2  flow0_2  1
    s0_2  flow0_3  -1
    s0_3  obj  2
    s0_3  flow0_3  1
    s0_3  flow0_4  -1
    s0_4  obj  2
    s0_4  flow0_4  1
    s0_4  flow0_5  -1
    s0_5  obj  2
    s0_5  flow0_5  1
    s1_0  obj  1
    s1_0  flow1_0  1
    s1_0  flow1_1  -1
    s1_1  obj  1
    s1_1  flow1_1  1
    s1_1  flow1_2  -1
    s1_2  obj  1
    s1_2  flow1_2  1
    s1_2  flow1_3  -1
    s1_3  obj  1
    s1_3  flow1_3  1
    s1_3  flow1_4  -1
    s1_4  obj  1
    s1_4  flow1_4  1
    s1_4  flow1_5  -1
    s1_5  obj  1
    s1_5  flow1_5  1
    s1_5  flow1_6  -1
    s1_6  obj  1
    s1_6  flow1_6  1
    s2_0  obj  3
    s2_0  flow2_0  1
    s2_0  flow2_1  -1
    s2_1  obj  3
    s2_1  flow2_1  1
    s2_1  flow2_2  -1
    s2_2  obj  3
    s2_2  flow2_2  1
    a0_0_2  obj  2
    a0_0_2  flow0_0  1
    a0_0_2  flow0_2  -1
    a0_0_2  use0_2_0  1
    a0_0_3  obj  2
    a0_0_3  flow0_0  1
    a0_0_3  flow0_3  -1
    a0_0_3  use0_3_0  1
    a0_0_4  obj  2
    a0_0_4  flow0_0  1
    a0_0_4  use0_4_0  1
    a0_1_0  obj  2
    a0_1_0  flow0_1  1
    a0_1_0  flow0_3  -1
    a0_1_0  use0_0_1  1
    a0_1_1  obj  2
    a0_1_1  flow0_1  1
    a0_1_1  flow0_4  -1
    a0_1_1  use0_1_1  1
    a0_2_6  obj  2
    a0_2_6  flow0_2  1
    a0_2_6  flow0_4  -1
    a0_2_6  use0_6_2  1
    a0_3_0  obj  2
    a0_3_0  flow0_3  1
    a0_3_0  flow0_5  -1
    a0_3_0  use0_0_3  1
    a0_3_1  obj  2
    a0_3_1  flow0_3  1
    a0_3_1  use0_1_1  1
    a0_4_6  obj  2
    a0_4_6  flow0_4  1
    a0_4_6  use0_6_4  1
    a1_0_2  obj  1
    a1_0_2  flow1_0  1
    a1_0_2  flow1_2  -1
    a1_0_2  use1_2_0  1
    a1_0_3  obj  1
    a1_0_3  flow1_0  1
    a1_0_3  flow1_3  -1
    a1_0_3  use1_3_0  1
    a1_0_5  obj  1
    a1_0_5  flow1_0  1
    a1_0_5  use1_5_0  1
    a1_1_0  obj  1
    a1_1_0  flow1_1  1
    a1_1_0  flow1_3  -1
    a1_1_0  use1_0_1  1
    a1_4_0  obj  1
    a1_4_0  flow1_4  1
    a1_4_0  flow1_6  -1
    a1_4_0  use1_0_4  1
    a1_4_1  obj  1
    a1_4_1  flow1_4  1
    a1_4_1  use1_1_4  1
    a1_5_6  obj  1
    a1_5_6  flow1_5  1
    a1_5_6  use1_6_5  1
    a2_0_0  obj  3
    a2_0_0  flow2_0  1
    a2_0_0  flow2_2  -1
    a2_0_0  use2_0_0  1
    a2_0_1  obj  3
    a2_0_1  flow2_0  1
    a2_0_1  use2_1_0  1
    a2_1_6  obj  3
    a2_1_6  flow2_1  1
    a2_1_6  use2_6_1  1
RHS
    rhs  budget  2
    rhs  flow0_0  1
    rhs  flow1_0  1
    rhs  flow2_0  1
BOUNDS
 LO bnd  x0  0
 UP bnd  x0  1
 LO bnd  x1  0
 UP bnd  x1  1
 LO bnd  x2  0
 UP bnd  x2  1
 LO bnd  x3  0
 UP bnd  x3  1
 LO bnd  x4  0
 UP bnd  x4  1
 LO bnd  x5  0
 UP bnd  x5  1
 LO bnd  x6  0
 UP bnd  x6  1
 LO bnd  s0_0  0
 UP bnd  s0_0  1
 LO bnd  s0_1  0
 UP bnd  s0_1  1
 LO bnd  s0_2  0
 UP bnd  s0_2  1
 LO bnd  s0_3  0
 UP bnd  s0_3  1
 LO bnd  s0_4  0
 UP bnd  s0_4  1
 LO bnd  s0_5  0
 UP bnd  s0_5  1
 LO bnd  s1_0  0
 UP bnd  s1_0  1
 LO bnd  s1_1  0
 UP bnd  s1_1  1
 LO bnd  s1_2  0
 UP bnd  s1_2  1
 LO bnd  s1_3  0
 UP bnd  s1_3  1
 LO bnd  s1_4  0
 UP bnd  s1_4  1
 LO bnd  s1_5  0
 UP bnd  s1_5  1
 LO bnd  s1_6  0
 UP bnd  s1_6  1
 LO bnd  s2_0  0
 UP bnd  s2_0  1
 LO bnd  s2_1  0
 UP bnd  s2_1  1
 LO bnd  s2_2  0
 UP bnd  s2_2  1
 LO bnd  a0_0_2  0
 UP bnd  a0_0_2  1
 LO bnd  a0_0_3  0
 UP bnd  a0_0_3  1
 LO bnd  a0_0_4  0
 UP bnd  a0_0_4  1
 LO bnd  a0_1_0  0
 UP bnd  a0_1_0  1
 LO bnd  a0_1_1  0
 UP bnd  a0_1_1  1
 LO bnd  a0_2_6  0
 UP bnd  a0_2_6  1
 LO bnd  a0_3_0  0
 UP bnd  a0_3_0  1
 LO bnd  a0_3_1  0
 UP bnd  a0_3_1  1
 LO bnd  a0_4_6  0
 UP bnd  a0_4_6  1
 LO bnd  a1_0_2  0
 UP bnd  a1_0_2  1
 LO bnd  a1_0_3  0
 UP bnd  a1_0_3  1
 LO bnd  a1_0_5  0
 UP bnd  a1_0_5  1
 LO bnd  a1_1_0  0
 UP bnd  a1_1_0  1
 LO bnd  a1_4_0  0
 UP bnd  a1_4_0  1
 LO bnd  a1_4_1  0
 UP bnd  a1_4_1  1
 LO bnd  a1_5_6  0
 UP bnd  a1_5_6  1
 LO bnd  a2_0_0  0
 UP bnd  a2_0_0  1
 LO bnd  a2_0_1  0
 UP bnd  a2_0_1  1
 LO bnd  a2_1_6  0
 UP bnd  a2_1_6  1
ENDATA
