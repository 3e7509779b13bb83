import type { Action, ToolOutcome } from '@baton/protocol';
import { type Json, number, object, string } from '../../normalize/json.ts';
import {
  commandAction,
  editAction,
  mcpAction,
  mcpOutput,
  searchAction,
  subagentAction,
  subagentOutput,
} from './actions.ts';

/** A tool call, as an item of a thread tells it. */
export type Tool = {
  name: string;
  action: Action;
  input?: unknown;
  output?: string | undefined;
  durationMs?: number | undefined;
};

type Maker = (item: Json) => Omit<Tool, 'name'> & { name?: string | undefined };

const command: Maker = (item) => ({
  action: commandAction(item),
  input: { command: item.command, cwd: item.cwd },
  output: string(item.aggregatedOutput) ?? string(item.aggregated_output),
});
const subagent: Maker = (item) => ({
  name: snake(string(item.tool) ?? 'subagent'),
  action: subagentAction(item),
  output: subagentOutput(item),
});

/** The items that are tool calls, by the names that `exec` gives them; the app server writes them in camel case. */
const MAKERS: Readonly<Record<string, Maker>> = {
  command_execution: command,
  file_change: (item) => ({ action: editAction(item) }),
  mcp_tool_call: (item) => ({
    name: mcpToolName(item),
    action: mcpAction(item),
    input: item.arguments,
    output: mcpOutput(item),
  }),
  web_search: (item) => ({ action: searchAction(item) }),
  collab_tool_call: subagent,
  collab_agent_tool_call: subagent,
  dynamic_tool_call: (item) => ({
    name: string(item.tool),
    action: { type: 'other' },
    input: item.arguments,
  }),
  image_view: (item) => ({ action: { type: 'file.read', path: string(item.path) ?? '' } }),
  image_generation: (item) => ({
    action: { type: 'other', description: string(item.revisedPrompt) },
    output: string(item.savedPath),
  }),
  sleep: (item) => ({
    action: { type: 'other', description: `Waits ${number(item.durationMs)} ms.` },
  }),
};

/** Reads an item as a tool call; nothing when it is none. */
export function toolOf(item: Json): Tool | undefined {
  const kind = snake(string(item.type) ?? '');
  const make = Object.hasOwn(MAKERS, kind) ? MAKERS[kind] : undefined;
  if (!make) return undefined;
  const { name = kind, ...tool } = make(item);
  return { name, ...tool, durationMs: number(item.durationMs) };
}

/** How a tool call ended. */
export function outcomeOf(item: Json): ToolOutcome {
  if (item.status === 'declined' || isUnapproved(item)) return 'denied';
  if (item.status === 'interrupted') return 'cancelled';
  const exitCode = number(item.exitCode) ?? number(item.exit_code) ?? 0;
  const hasFailed = item.status === undefined ? exitCode !== 0 : item.status === 'failed';
  return hasFailed ? 'error' : 'ok';
}

/** Where nobody can be asked, Codex refuses the MCP tools that need a yes. */
function isUnapproved({ error }: Json): boolean {
  return /requires approval, but approval policy is never/.test(
    string(object(error).message) ?? '',
  );
}

/** The name under which an MCP tool goes with every agent. */
export function mcpToolName(call: Json): string {
  return `mcp__${string(call.server) ?? ''}__${string(call.tool) ?? ''}`;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
