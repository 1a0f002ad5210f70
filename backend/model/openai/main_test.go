package openai_test

import (
	"testing"

	"callboard/backend/model/openai/openaitest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	openaitest.Child()
	goleak.VerifyTestMain(m)
}
