package docker

// Owner is the label's value of this process.
func Owner() string { return owner() }

// Owning and InContainer are what bind works with.
var (
	Owning      = owning
	InContainer = inContainer
	Unavailable = unavailable
)
