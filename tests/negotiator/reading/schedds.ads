MyType = "Scheduler"
Name = "ap1"
MyAddress = "<10.0.0.2:9618>"
MyCurrentTime = 1700000307

MyType = "Scheduler"
Name = "ap2"
MyAddress = "<10.0.0.3:9618>"
