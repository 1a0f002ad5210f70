package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"callboard/backend/model"
)

// maxQuote is how many characters of what a provider said go into an error.
const maxQuote = 400

// refused makes the error of an answer that is no success.
func (x *exchange) refused(response *http.Response, body []byte) error {
	t := readTold(body)
	status := response.StatusCode
	failure := x.explain(status, t, fmt.Sprintf("%s answered %d %s", x.host(), status, http.StatusText(status)))
	failure.Status = status
	failure.RetryAfter = retryAfter(response.Header, time.Now())
	if what := x.learn(status, t); what != "" {
		failure.Code, failure.Retryable = model.CodeUnavailable, true
		failure.Message += " " + what
	}
	return failure
}

// learn notes what a refusal says about the server, so that the next request is one it takes, and says so.
func (x *exchange) learn(status int, t *told) string {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return ""
	}
	l := &x.backend.learned
	switch {
	case strings.Contains(t.all, "max_completion_tokens") && l.completionTokens.CompareAndSwap(false, true):
		return "The next request calls the limit max_completion_tokens."
	case strings.Contains(t.all, "stream_options") && l.noStreamOptions.CompareAndSwap(false, true):
		return "The next request leaves stream_options out; the tokens used are then not known."
	case (strings.Contains(t.all, "response_format") || strings.Contains(t.all, "json_schema")) && x.payload != nil && x.payload.schema &&
		l.noSchema.CompareAndSwap(false, true):
		return "The next request tells the model in words what its answer has to be."
	case strings.Contains(t.all, "extra_content") && l.noExtra.CompareAndSwap(false, true):
		return "The next request leaves out what another server gave with the calls."
	case strings.Contains(t.all, "reasoning_content") && l.wantsReasoning.CompareAndSwap(false, true):
		return "The next request gives the model its reasoning back."
	}
	return ""
}

// refusedInStream makes the error of an answer that began well.
func (x *exchange) refusedInStream(err error) error {
	var t *told
	if errors.As(err, &t) {
		return x.explain(t.status, t, x.host()+" ended its answer with an error")
	}
	return &model.Error{
		Code: model.CodeInvalidResponse, Retryable: true, Err: err,
		Message: x.hide(fmt.Sprintf("%s sent an answer that cannot be used: %s.", x.host(), err)),
	}
}

// words by which providers name what has no status of its own.
var (
	contextWords = []string{
		"context_length", "context length", "maximum context", "context window", "context size", "n_ctx", "too many tokens", "prompt is too long",
		"input is too long", "exceed_context",
	}
	filterWords = []string{"content_filter", "content filter", "content_policy", "content management policy", "responsibleai"}
	quotaWords  = []string{"insufficient_quota", "billing", "payment required", "insufficient balance", "credits"}
	imageWords  = []string{
		"image", "vision", "multimodal", "multi-modal", "mmproj", "must be a string", "expected a string", "expected string",
		"should be a valid string",
	}
	rateWords = []string{"rate_limit", "rate limit", "too many requests"}
)

// explain says what a refusal means and what to do about it.
func (x *exchange) explain(status int, t *told, what string) *model.Error {
	failure := &model.Error{Code: model.CodeUnavailable, Err: t}
	var advice string
	switch {
	case mentions(t.all, contextWords) || status == http.StatusRequestEntityTooLarge:
		failure.Code = model.CodeContextLength
		advice = "Begin a new thread, or use a model that reads more."
	case mentions(t.all, filterWords):
		failure.Code = model.CodeContentFiltered
		advice = "Say it in other words, or use another model."
	case mentions(t.all, quotaWords) || status == http.StatusPaymentRequired:
		failure.Code = model.CodeRateLimited
		advice = "Check the account at the provider."
	case x.showsImages() && mentions(t.all, imageWords):
		failure.Retryable = true
		advice = fmt.Sprintf("The request shows images that tools gave, and the model %q did not take them: the next one tells of them in words.", x.model)
		x.backend.learned.refuse(x.model, x.payload.images)
	case status == http.StatusTooManyRequests || mentions(t.all, rateWords):
		failure.Code, failure.Retryable = model.CodeRateLimited, true
		advice = "Wait a little, or use another model."
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		failure.Code, failure.Retryable = model.CodeTimeout, true
		advice = "Try again."
	case status >= 500 || status == 0:
		failure.Retryable = true
		advice = "Try again later."
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		advice = "Check the API key"
		if x.key == "" {
			advice = "It wants an API key, and none is set"
		}
		advice += "."
	case status == http.StatusNotFound:
		advice = fmt.Sprintf("Check that the model %q exists there and that the base URL is right; most end in /v1.", x.model)
	case status >= 300 && status < 400:
		advice = "Check the base URL."
	default:
		advice = fmt.Sprintf("Check that the model %q takes such requests, tools among them.", x.model)
	}
	if t.message != "" {
		what += ": " + strings.TrimRight(t.message, ". ")
	}
	failure.Message = x.hide(what + ". " + advice)
	return failure
}

func (x *exchange) showsImages() bool { return x.payload != nil && len(x.payload.images) > 0 }

func mentions(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// failure makes the error of a request that got no answer.
func (x *exchange) failure(err error) error {
	if x.parent.Err() != nil {
		return fmt.Errorf("ask %s: %w", x.host(), x.parent.Err())
	}
	var known *model.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(context.Cause(x.ctx), errSilent) {
		return x.stalled()
	}
	var address *url.Error // its text quotes the address, which may hold a key
	if errors.As(err, &address) {
		err = address.Err
	}
	failure := &model.Error{Code: model.CodeUnavailable, Retryable: true, Err: err}
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		timeout     net.Error
	)
	advice := "Try again."
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		failure.Retryable = false
		advice = "Check the base URL."
	case errors.As(err, &certificate), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		failure.Retryable = false
		advice = "Check the base URL, and whether it begins with http or https."
	case errors.Is(err, syscall.ECONNREFUSED):
		advice = "Check that the server runs and that the base URL is right."
	case errors.As(err, &timeout) && timeout.Timeout():
		failure.Code = model.CodeTimeout
	}
	failure.Message = x.hide(fmt.Sprintf("Asking %s failed: %s. %s", x.host(), err, advice))
	return failure
}

func (x *exchange) stalled() error {
	return &model.Error{
		Code: model.CodeTimeout, Retryable: true, Err: errSilent,
		Message: fmt.Sprintf("%s sent nothing for %s.", x.host(), x.idle()),
	}
}

// cut makes the error of an answer that ended before its end.
func (x *exchange) cut(err error) error {
	if errors.Is(context.Cause(x.ctx), errSilent) {
		return x.stalled()
	}
	failure := &model.Error{Code: model.CodeUnavailable, Retryable: true, Err: err}
	switch stray := readTold(x.events.stray); {
	case errors.Is(err, errLongEvent):
		failure.Code, failure.Retryable = model.CodeInvalidResponse, false
		failure.Message = fmt.Sprintf("%s sent an answer that cannot be used: %s.", x.host(), err)
	case x.events.count > 0:
		failure.Message = fmt.Sprintf("%s stopped in the middle of its answer (%s).", x.host(), err)
	case stray.message != "":
		failure.Code, failure.Retryable = model.CodeInvalidResponse, false
		failure.Message = fmt.Sprintf("%s sent no answer but %s. Check the base URL; most end in /v1.", x.host(), stray.quote())
	default:
		failure.Message = x.host() + " sent an empty answer."
	}
	failure.Message = x.hide(failure.Message)
	return failure
}

// host names the server in errors.
func (x *exchange) host() string {
	if base, err := x.backend.base(); err == nil {
		return base.Host
	}
	return "the provider"
}

// hide takes the key out of what goes into an error: some servers repeat it.
func (x *exchange) hide(text string) string {
	if len(x.key) < 8 { // a placeholder such as "none", which is a word too
		return text
	}
	return strings.ReplaceAll(text, x.key, "[key]")
}

// told is what a provider says of a failure.
type told struct {
	message string // one line, cut
	all     string // its message, code and type in small letters, to look for words
	status  int    // where its code is an HTTP status
	object  bool   // it is a JSON object
	page    bool   // it is a web page
}

func (t *told) Error() string { return t.message }

func (t *told) quote() string {
	if t.page {
		return "a web page (" + t.message + ")"
	}
	return strconv.Quote(t.message)
}

// readTold finds the message in the forms that are known, else takes the text as it is.
func readTold(body []byte) *told {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var object struct {
		Error    json.RawMessage `json:"error"`
		Message  json.RawMessage `json:"message"`
		Msg      json.RawMessage `json:"msg"`
		Detail   json.RawMessage `json:"detail"`
		Errors   json.RawMessage `json:"errors"`
		Code     any             `json:"code"`
		Status   any             `json:"status"`
		Type     any             `json:"type"`
		Metadata json.RawMessage `json:"metadata"`
		Raw      json.RawMessage `json:"raw"`
	}
	if json.Unmarshal(body, &object) != nil {
		return tellText(string(body))
	}
	t := &told{object: true, all: strings.ToLower(fmt.Sprint(object.Code, " ", object.Status, " ", object.Type))}
	if code, ok := object.Code.(float64); ok && code >= 300 && code < 600 {
		t.status = int(code)
	}
	for _, part := range []json.RawMessage{object.Error, object.Message, object.Msg, object.Detail, object.Errors, object.Metadata, object.Raw} {
		inner := tellPart(part)
		if t.message == "" {
			t.message = inner.message
		} else if inner.message != "" {
			t.message = cutText(t.message + " — " + inner.message)
		}
		t.all += " " + inner.all
		if t.status == 0 {
			t.status = inner.status
		}
	}
	return t
}

// tellPart reads a member of an error: a text, an object, or a list of them.
func tellPart(part json.RawMessage) *told {
	var text string
	switch {
	case len(part) == 0 || string(part) == "null":
		return &told{}
	case json.Unmarshal(part, &text) == nil:
		return tellText(text)
	case part[0] == '{' || part[0] == '[':
		return readTold(part)
	}
	return &told{}
}

func tellText(text string) *told {
	t := &told{message: cutText(text), all: strings.ToLower(cutText(text))}
	low := strings.ToLower(text)
	if !strings.HasPrefix(low, "<") {
		return t
	}
	t.page = true
	if _, after, ok := strings.Cut(low, "<title"); ok {
		_, after, _ = strings.Cut(text[len(text)-len(after):], ">")
		title, _, _ := strings.Cut(after, "<")
		t.message = cutText(title)
	}
	return t
}

// cutText makes one line of a text, and cuts it.
func cutText(text string) string {
	if len(text) > 8*maxQuote {
		text = text[:8*maxQuote]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > maxQuote {
		return string(runes[:maxQuote]) + "…"
	}
	return text
}

// retryAfter is how long the server wants to be left alone, 0 when it does not say.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
