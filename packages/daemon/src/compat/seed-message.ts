import { actionOf } from '@baton/engine/normalize/actions';
import { type Action, BatonError, type Entry, toolEntryKey } from '@baton/protocol';
import type { MessageBlock, NewMessage } from '@baton/protocol/wire';
import type { Said } from '@baton/store';

type ToolResult = Extract<MessageBlock, { type: 'tool_result' }>;

type SaidMessage = Exclude<NewMessage, { type: 'permission_request' }>;

/** Converts a message to events; the result depends on the open entries of its task. */
export function eventsOfMessage(message: NewMessage, open: readonly Entry[]): Said[] {
  if (message.type === 'permission_request') return [requestOf(message.content)];
  const blocks = blocksOf(message);
  const isUser = message.type === 'user' || message.role === 'user';
  if (isUser && blocks.some(({ type }) => type !== 'tool_result')) {
    throw new BatonError('usage', 'Executors may report only tool results for the user role.');
  }
  const streamed = (blocks.find(isText) ?? blocks.find(isThinking)) as MessageBlock | undefined;
  const calls = new OpenCalls(message.task_id, open);
  return blocks.map((block): Said => {
    if (block.type === 'tool_use') return calls.start(block);
    if (block.type === 'tool_result') return calls.end(block);
    const messageId = (block === streamed && message.message_id) || crypto.randomUUID();
    const said = { type: 'message.completed', messageId } as const;
    return block.type === 'text'
      ? { ...said, kind: 'text', text: block.text }
      : { ...said, kind: 'thinking', text: block.thinking };
  });
}

function blocksOf({ type, content }: SaidMessage): MessageBlock[] {
  if (typeof content !== 'string') return content;
  return type === 'thinking' ? [{ type, thinking: content }] : [{ type: 'text', text: content }];
}

function isText({ type }: MessageBlock): boolean {
  return type === 'text';
}

function isThinking({ type }: MessageBlock): boolean {
  return type === 'thinking';
}

/** The tool calls of a task that have no result yet. */
class OpenCalls {
  #taskId: string;
  #open: Map<string, { name: string; action: Action }>;

  constructor(taskId: string, open: readonly Entry[]) {
    this.#taskId = taskId;
    this.#open = new Map(
      open.flatMap((entry) => (entry.kind === 'tool' ? [[entry.key, entry] as const] : [])),
    );
  }

  start({ id: callId, name, input }: Extract<MessageBlock, { type: 'tool_use' }>): Said {
    const key = toolEntryKey(this.#taskId, callId);
    if (this.#open.has(key)) {
      throw new BatonError('usage', `Tool call "${callId}" was already reported.`);
    }
    const action = actionOf(name, input);
    this.#open.set(key, { name, action });
    return { type: 'tool.started', callId, name, action, input };
  }

  end({ tool_use_id: callId, content, is_error }: ToolResult): Said {
    const key = toolEntryKey(this.#taskId, callId);
    const call = this.#open.get(key);
    if (!call) throw new BatonError('usage', `No tool call "${callId}" awaits a result.`);
    this.#open.delete(key);
    const outcome = is_error ? 'error' : 'ok';
    const { name, action } = call;
    return { type: 'tool.completed', callId, name, action, outcome, output: outputOf(content) };
  }
}

/** The text of a result; pictures and the like are left out. */
function outputOf(content: ToolResult['content']): string | undefined {
  if (content === undefined || typeof content === 'string') return content;
  const texts = content.map(({ text }) => text).filter((text) => typeof text === 'string');
  return texts.join('\n');
}

type Requested = Extract<NewMessage, { type: 'permission_request' }>['content'];

function requestOf({
  request_id: requestId,
  tool_name: tool,
  tool_params: input,
}: Requested): Said {
  return {
    type: 'permission.requested',
    requestId,
    tool,
    action: actionOfRequest(input),
    input,
    scopes: ['once'],
  };
}

/** Infers the action from the parameters of a tool. */
function actionOfRequest(input: unknown): Action {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' ? { type: 'command', command } : { type: 'other' };
}
