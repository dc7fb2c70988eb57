MyType = "Submitter"
Name = "alice@pool"
ScheddName = "ap1"
ScheddIpAddr = "<10.0.0.2:9618>"
IdleJobs = 2
RunningJobs = 0
WeightedIdleJobs = 2
LastHeardFrom = 1700000308

MyType = "Submitter"
Name = "g.x.bob@pool"
ScheddName = "ap1"
ScheddIpAddr = "<10.0.0.2:9618>"
IdleJobs = 1
RunningJobs = 1
WeightedIdleJobs = 1

MyType = "Submitter"
Name = "carol@pool"
ScheddName = "ap2"
ScheddIpAddr = "<10.0.0.2:9618>"
IdleJobs = 1
RunningJobs = 0
WeightedIdleJobs = 1

MyType = "Submitter"
Name = "alice@pool"
ScheddName = "ap2"
ScheddIpAddr = "<10.0.0.2:9618>"
IdleJobs = 1
RunningJobs = 0
WeightedIdleJobs = 1
