import { type Action, BatonError, type Entry, toolEntryKey } from '@baton/protocol';
import { actionOf } from '@baton/runtime';
import type { Said } from '@baton/store';
import { z } from 'zod';

const MOST_BLOCKS = 1000;

const place = { session_id: z.string(), task_id: z.string() };

/** Only what the log keeps of a block; agents put more into theirs. */
const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.unknown(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string().min(1),
    content: z
      .union([z.string(), z.array(z.looseObject({ type: z.string() })).max(MOST_BLOCKS)])
      .optional(),
    is_error: z.boolean().optional(),
  }),
]);
type Block = z.output<typeof blockSchema>;
type ToolResult = Extract<Block, { type: 'tool_result' }>;

/** A message of an executor that reports message by message. */
export const seedMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...place,
    type: z.literal('permission_request'),
    content: z.strictObject({
      request_id: z.string().min(1),
      tool_name: z.string().min(1),
      tool_params: z.unknown(),
      status: z.literal('pending').optional(),
    }),
  }),
  z.strictObject({
    ...place,
    type: z.enum(['text', 'thinking', 'assistant', 'user']).default('text'),
    /** Of `user` only results of tools are taken: what people say is in the log already. */
    role: z.enum(['assistant', 'user']).optional(),
    /** Messages have the order in which they come; this changes nothing. */
    index: z.int().min(0).optional(),
    /** Of the pieces that it was sent in before, if it was. */
    message_id: z.string().optional(),
    content: z.union([z.string(), z.array(blockSchema).min(1).max(MOST_BLOCKS)]),
  }),
]);
export type SeedMessage = z.output<typeof seedMessageSchema>;
type SaidMessage = Exclude<SeedMessage, { type: 'permission_request' }>;

/** Tells a message in events, given what is open in its task. */
export function eventsOfMessage(message: SeedMessage, open: readonly Entry[]): Said[] {
  if (message.type === 'permission_request') return [requestOf(message.content)];
  const blocks = blocksOf(message);
  const isUser = message.type === 'user' || message.role === 'user';
  if (isUser && blocks.some(({ type }) => type !== 'tool_result')) {
    throw new BatonError('usage', 'An executor reports only results of tools for the user.');
  }
  const streamed = (blocks.find(isText) ?? blocks.find(isThinking)) as Block | undefined;
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

function blocksOf({ type, content }: SaidMessage): Block[] {
  if (typeof content !== 'string') return content;
  return type === 'thinking' ? [{ type, thinking: content }] : [{ type: 'text', text: content }];
}

function isText({ type }: Block): boolean {
  return type === 'text';
}

function isThinking({ type }: Block): boolean {
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

  start({ id: callId, name, input }: Extract<Block, { type: 'tool_use' }>): Said {
    const key = toolEntryKey(this.#taskId, callId);
    if (this.#open.has(key)) {
      throw new BatonError('usage', `Tool call "${callId}" has been reported already.`);
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

type Requested = Extract<SeedMessage, { type: 'permission_request' }>['content'];

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

/** What the parameters of a tool say by themselves. */
function actionOfRequest(input: unknown): Action {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' ? { type: 'command', command } : { type: 'other' };
}
