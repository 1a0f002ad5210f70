package agent

import "callboard/backend/protocol"

// ThreadSummary is a line of the thread list. Its run is the thread's newest.
type ThreadSummary struct {
	ID             string          `json:"id"`
	Title          string          `json:"title"` // empty is untitled
	AgentName      string          `json:"agentName,omitempty"`
	RunID          string          `json:"runId,omitempty"`
	Status         protocol.Status `json:"status,omitempty"` // empty before the first run
	Error          string          `json:"error,omitempty"`
	ErrorCode      string          `json:"errorCode,omitempty"`
	Runs           int             `json:"runs"`
	Calls          int             `json:"calls"`
	Pending        int             `json:"pendingApprovals"`
	WaitingSinceMs int64           `json:"waitingSince,omitempty"`
	CreatedAtMs    int64           `json:"createdAt"`
	UpdatedAtMs    int64           `json:"updatedAt"`
}
