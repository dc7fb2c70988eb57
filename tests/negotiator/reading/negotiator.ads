MyType = "Negotiator"
Name = "cm"
MyCurrentTime = 1700000280
