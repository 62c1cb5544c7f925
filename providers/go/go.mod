module cpb-provider-go

go 1.25
