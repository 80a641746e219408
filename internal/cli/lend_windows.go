package cli

// inheritedDescriptors: jobs cannot be lent any here.
func inheritedDescriptors() []int { return nil }
