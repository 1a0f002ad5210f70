// Drives a real useChat of @ai-sdk/react. The first argument is the address of a ui-chat, the second a JSON list of steps; what came of
// them is printed as JSON.
//
//	{"open": {…}}        mounts the hook anew, with these options beside the test's own
//	{"send": "text"}     sends a message and does not wait
//	{"answer": bool}     answers the first approval that is asked for; "reason" and "id" may stand beside it
//	{"again": true}      regenerates the last message
//	{"until": "text"}    waits until the messages, as JSON, hold the text
//	{"finished": n}      waits until n requests of this hook were answered to the end
//	{"fetch": "path"}    asks the server for something else
//	{"stop": true}       closes the connection
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { createElement, useEffect } from 'react';
import { create } from 'react-test-renderer';

const [api, steps] = [process.argv[2], JSON.parse(process.argv[3])];
const heard = { data: [], errors: [], inputs: [], ids: [], requests: [] };
let chat;
let finished = 0;
let waiting = () => {};

function Client({ options }) {
	const state = useChat({
		id: 'chat-1',
		transport: new DefaultChatTransport({
			api,
			fetch: async (...request) => {
				const response = await fetch(...request);
				heard.requests.push(`${request[1].method} ${response.status} ${response.headers.get('x-vercel-ai-ui-message-stream') ?? '-'}`);
				return response;
			},
		}),
		sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
		onData: (part) => heard.data.push(part),
		onError: (error) => heard.errors.push(error.message),
		onFinish: ({ message }) => {
			finished++;
			heard.ids.push(message.id);
			waiting();
		},
		...options,
	});
	useEffect(() => {
		chat = state;
		for (const part of state.messages.flatMap((m) => m.parts)) {
			const input = JSON.stringify(part.input);
			if (part.state === 'input-streaming' && input && heard.inputs.at(-1) !== input) heard.inputs.push(input);
		}
		waiting();
	});
	return null;
}

let root;
let mounted = 0;
const open = (options = {}) => {
	root?.unmount();
	finished = 0;
	chat = undefined;
	root = create(createElement(Client, { options, key: ++mounted }));
};

const until = (what, holds) =>
	new Promise((done, fail) => {
		const late = setTimeout(() => fail(new Error(`waited for ${what}; got ${JSON.stringify({ status: chat?.status, ...heard, messages: chat?.messages })}`)), 60_000);
		waiting = () => {
			if (!holds()) return;
			clearTimeout(late);
			waiting = () => {};
			done();
		};
		waiting();
	});

const asked = () => chat.messages.flatMap((m) => m.parts).find((part) => part.state === 'approval-requested' && !part.approval.isAutomatic);

const actions = {
	open,
	send: (text) => void chat.sendMessage({ text }),
	answer: (approved, { reason, id }) => chat.addToolApprovalResponse({ id: id ?? asked().approval.id, approved, reason }),
	again: () => void chat.regenerate(),
	until: (text) => until(text, () => JSON.stringify(chat?.messages ?? '').includes(text)),
	finished: (n) => until(`${n} answers`, () => finished >= n && ['ready', 'error'].includes(chat?.status)),
	fetch: (path) => fetch(new URL(path, api)),
	stop: () => chat.stop(),
};

open();
await until('the first render', () => chat);
for (const step of steps) {
	const [name] = Object.keys(step);
	await actions[name](step[name], step);
	await until('a render', () => chat);
}
console.log(JSON.stringify({ messages: chat.messages, status: chat.status, ...heard }));
process.exit(0);
