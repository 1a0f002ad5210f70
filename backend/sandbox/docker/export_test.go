package docker

// Owner is the label's value of this process.
func Owner() string { return owner() }
