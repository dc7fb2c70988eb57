MyType = "Scheduler"
Name = "ap1"
MyAddress = "<10.0.0.250:9618>"
LastHeardFrom = 1789999980
