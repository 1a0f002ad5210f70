package protocol

// Rename puts other ids into an event of a copied run: of its thread, its run, and of its approvals by those they had. It reports whether
// the event tells any; one that does not is left as it is.
func Rename(event Event, threadID, runID string, approvalID func(old string) string) bool {
	switch e := event.(type) {
	case *Start:
		e.ThreadID, e.RunID = threadID, runID
	case *Finish:
		e.ThreadID = threadID
	case *ApprovalRequired:
		e.ThreadID = threadID
		for i := range e.Approvals {
			e.Approvals[i].ApprovalID = approvalID(e.Approvals[i].ApprovalID)
		}
	case *CallState:
		if e.ApprovalID == "" {
			return false
		}
		e.ApprovalID = approvalID(e.ApprovalID)
	default:
		return false
	}
	return true
}
