package agent

import "callboard/backend/protocol"

// ThreadSummary is a line of the thread list. Its run is the thread's newest.
type ThreadSummary struct {
	ID             string          `json:"id"`
	Title          string          `json:"title" jsonschema_description:"Empty is untitled"`
	AgentName      string          `json:"agentName,omitempty"`
	RunID          string          `json:"runId,omitempty"`
	Status         protocol.Status `json:"status,omitempty" jsonschema_description:"Empty before the first run"`
	Error          string          `json:"error,omitempty"`
	ErrorCode      string          `json:"errorCode,omitempty"`
	Runs           int             `json:"runs" jsonschema_description:"How many"`
	Calls          int             `json:"calls" jsonschema_description:"How many"`
	Pending        int             `json:"pendingApprovals" jsonschema_description:"How many calls wait for a person"`
	WaitingSinceMs int64           `json:"waitingSince,omitempty" jsonschema_description:"Unix ms"`
	CreatedAtMs    int64           `json:"createdAt" jsonschema_description:"Unix ms"`
	UpdatedAtMs    int64           `json:"updatedAt" jsonschema_description:"Unix ms"`
}
