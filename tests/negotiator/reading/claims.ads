Name = "slot1@a"
ScheddName = "ap1"
State = "Claimed"
_condor_RESOURCE_CLUSTER = 1
_condor_RESOURCE_PROC = 0

Name = "slot2@a"
ScheddName = "ap1"
State = "Claimed"
RemoteUser = "bob@pool"
AccountingGroup = "g.x.bob@pool"
EnteredCurrentState = 1700000304

Name = "slot1@b"
ScheddName = "ap2"
State = "Claimed"

Name = "slot1_1@b"
ScheddName = "ap2"
State = "Claimed"
RemoteUser = "carol@pool"
EnteredCurrentState = 1700000200

Name = "slot1_2@b"
ScheddName = "ap2"
State = "Claimed"
RemoteUser = "alice@pool"
EnteredCurrentState = 1700000308
