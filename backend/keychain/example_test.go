package keychain_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"callboard/backend/keychain"
)

// A program keeps a token in the keychain of the desktop, and says so where there is none. The tests do not run it: it would write
// into the keychain of who runs them.
func ExampleSystem() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	secrets := &keychain.System{Service: "Weather station"}
	switch err := secrets.Check(ctx); {
	case errors.Is(err, keychain.ErrNone):
		fmt.Println("this system has no keychain: the token is kept in memory")
		return
	case err != nil:
		fmt.Println(err)
		return
	}
	if err := secrets.Put(ctx, "token of bergen", "s3cret"); err != nil {
		fmt.Println(err)
		return
	}
	token, err := secrets.Get(ctx, "token of bergen")
	fmt.Println(token, err)
}
