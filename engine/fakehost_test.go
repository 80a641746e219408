package engine_test

import "github.com/hobjobs/hob/engine/enginetest"

func fakeHost() *enginetest.Fake { return enginetest.NewFake("web1") }
