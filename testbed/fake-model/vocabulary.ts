import type { JsonObject } from './json.ts';
import { addFilePatch, updateFilePatch } from './patch.ts';
import type { PlanStep, Question, ToolCall } from './steps.ts';

/** A tool that a request offers to the model. */
export interface OfferedTool {
  name: string;
  /** The names of its parameters; agents share tool names but not parameters. */
  parameters: string[];
}

/** A tool call in the words of one agent; a string is the input of a free-form tool. */
export interface ResolvedCall {
  name: string;
  /** Codex keeps the tools of each MCP server in a namespace of their own. */
  namespace?: string;
  input: JsonObject | string;
}

/** Translates tool calls into the tools of the agent that made the request. */
export function resolveCalls(calls: ToolCall[], offered: OfferedTool[]): ResolvedCall[] {
  const words = vocabularies.find((vocabulary) => vocabulary.recognises(offered));
  return calls.map((call) => {
    if ('raw' in call) return call.raw;
    const resolved = words && translate(call, words);
    if (resolved) return resolved;
    const names = offered.map((tool) => tool.name).join(', ');
    throw new NoSuchTool(`No tool for ${JSON.stringify(call)} is known among: ${names}`);
  });
}

/** A script asks for something that the agent behind the request has no tool for. */
export class NoSuchTool extends Error {}

interface Vocabulary {
  recognises(offered: OfferedTool[]): boolean;
  shell(command: string): ResolvedCall;
  write(file: { path: string; content: string }): ResolvedCall;
  edit(change: { path: string; old: string; new: string }): ResolvedCall;
  read(path: string): ResolvedCall;
  mcp(call: { server: string; tool: string; input: JsonObject }): ResolvedCall;
  question?(question: Question): ResolvedCall;
  plan?(steps: PlanStep[]): ResolvedCall;
  subagent?(task: { prompt: string }): ResolvedCall;
}

const claude: Vocabulary = {
  recognises: offersAny('Bash', 'Read', 'Write', 'Edit', 'Agent', 'AskUserQuestion'),
  shell: (command) => ({ name: 'Bash', input: { command, description: 'Run a command' } }),
  write: ({ path, content }) => ({ name: 'Write', input: { file_path: path, content } }),
  edit: (change) => ({
    name: 'Edit',
    input: { file_path: change.path, old_string: change.old, new_string: change.new },
  }),
  read: (path) => ({ name: 'Read', input: { file_path: path } }),
  mcp: ({ server, tool, input }) => ({ name: `mcp__${server}__${tool}`, input }),
  question: ({ question, options }) => ({
    name: 'AskUserQuestion',
    input: {
      questions: [{ question, header: 'Choice', options: described(options), multiSelect: false }],
    },
  }),
  plan: (steps) => ({
    name: 'ExitPlanMode',
    input: { plan: steps.map(({ step }, index) => `${index + 1}. ${step}`).join('\n') },
  }),
  // The list in the agent's first event calls this tool "Task"; requests and calls say "Agent".
  subagent: ({ prompt }) => ({
    name: 'Agent',
    input: { description: 'Do a part', prompt, subagent_type: 'general-purpose' },
  }),
};

const codex: Vocabulary = {
  recognises: offersAny('exec_command', 'apply_patch'),
  // Codex returns after 10 s by default and leaves the command running; this is its longest wait.
  shell: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 30_000 } }),
  write: ({ path, content }) => ({ name: 'apply_patch', input: addFilePatch(path, content) }),
  edit: (change) => ({ name: 'apply_patch', input: updateFilePatch(change) }),
  // Codex has no tool that reads files: its models use the shell.
  read: (path) => ({ name: 'exec_command', input: { cmd: `cat '${path}'` } }),
  mcp: ({ server, tool, input }) => ({ name: tool, namespace: `mcp__${server}`, input }),
  question: ({ question, options }) => ({
    name: 'request_user_input',
    input: {
      questions: [{ id: 'choice', header: 'Choice', question, options: described(options) }],
    },
  }),
  plan: (steps) => ({ name: 'update_plan', input: { plan: steps } }),
  subagent: ({ prompt }) => ({
    name: 'spawn_agent',
    namespace: 'multi_agent_v1',
    input: { message: prompt },
  }),
};

const gemini: Vocabulary = {
  recognises: offersAny('run_shell_command', 'read_file', 'write_file', 'replace'),
  shell: (command) => ({ name: 'run_shell_command', input: { command } }),
  write: ({ path, content }) => ({ name: 'write_file', input: { file_path: path, content } }),
  edit: (change) => ({
    name: 'replace',
    input: {
      file_path: change.path,
      instruction: 'Make the change',
      old_string: change.old,
      new_string: change.new,
    },
  }),
  read: (path) => ({ name: 'read_file', input: { file_path: path } }),
  mcp: ({ server, tool, input }) => ({ name: `mcp_${server}_${tool}`, input }),
  plan: (steps) => ({
    name: 'write_todos',
    input: { todos: steps.map(({ step, status }) => ({ description: step, status })) },
  }),
  subagent: ({ prompt }) => ({
    name: 'invoke_agent',
    input: { agent_name: 'generalist', prompt },
  }),
};

const opencode: Vocabulary = {
  recognises: (offered) =>
    offered.some(({ name, parameters }) => name === 'read' && parameters.includes('filePath')),
  shell: (command) => ({ name: 'bash', input: { command, description: 'Run a command' } }),
  write: ({ path, content }) => ({ name: 'write', input: { filePath: path, content } }),
  edit: (change) => ({
    name: 'edit',
    input: { filePath: change.path, oldString: change.old, newString: change.new },
  }),
  read: (path) => ({ name: 'read', input: { filePath: path } }),
  mcp: ({ server, tool, input }) => ({ name: `${server}_${tool}`, input }),
  question: ({ question, options }) => ({
    name: 'question',
    input: { questions: [{ question, header: 'Choice', options: described(options) }] },
  }),
  plan: (steps) => ({
    name: 'todowrite',
    input: { todos: steps.map(({ step, status }) => ({ content: step, status, priority: 'low' })) },
  }),
  subagent: ({ prompt }) => ({
    name: 'task',
    input: { description: 'Do a part', prompt, subagent_type: 'general' },
  }),
};

const droid: Vocabulary = {
  recognises: offersAny('Execute', 'Create', 'LS'),
  shell: (command) => ({
    name: 'Execute',
    input: {
      summary: 'Run a command',
      command,
      riskLevelReason: 'The script says so.',
      riskLevel: 'medium',
    },
  }),
  write: ({ path, content }) => ({ name: 'Create', input: { file_path: path, content } }),
  edit: (change) => ({
    name: 'Edit',
    input: { file_path: change.path, old_str: change.old, new_str: change.new },
  }),
  read: (path) => ({ name: 'Read', input: { file_path: path } }),
  mcp: ({ server, tool, input }) => ({ name: `${server}___${tool}`, input }),
  question: ({ question, options }) => ({
    name: 'AskUser',
    input: {
      questionnaire: [
        `1. [question] ${question}`,
        '[topic] Choice',
        ...options.map((option) => `[option] ${option}`),
      ].join('\n'),
    },
  }),
  plan: (steps) => ({
    name: 'TodoWrite',
    input: {
      todos: steps.map(({ step, status }, index) => `${index + 1}. [${status}] ${step}`).join('\n'),
    },
  }),
  subagent: ({ prompt }) => ({
    name: 'Task',
    input: { subagent_type: 'worker', description: 'Do a part', prompt },
  }),
};

/** The file tools of OpenClaw and Pi. */
const piFiles: Pick<Vocabulary, 'write' | 'edit' | 'read'> = {
  write: ({ path, content }) => ({ name: 'write', input: { path, content } }),
  edit: (change) => ({
    name: 'edit',
    input: { path: change.path, edits: [{ oldText: change.old, newText: change.new }] },
  }),
  read: (path) => ({ name: 'read', input: { path } }),
};

const openclaw: Vocabulary = {
  recognises: offersAny('exec'),
  // OpenClaw returns after 10 s by default and leaves the command running.
  shell: (command) => ({ name: 'exec', input: { command, yieldMs: 120_000 } }),
  ...piFiles,
  mcp: ({ server, tool, input }) => ({ name: `${server}__${tool}`, input }),
};

const pi: Vocabulary = {
  recognises: (offered) =>
    offered.some(({ name, parameters }) => name === 'bash' && parameters.includes('timeout')),
  shell: (command) => ({ name: 'bash', input: { command } }),
  ...piFiles,
  // It has no MCP servers.
  mcp: ({ tool, input }) => ({ name: tool, input }),
};

// Droid first: some of its tools have the names of Claude's. OpenClaw before Codex: it has apply_patch too.
const vocabularies = [droid, claude, openclaw, codex, gemini, opencode, pi];

function translate(call: ToolCall, words: Vocabulary): ResolvedCall | undefined {
  if ('shell' in call) return words.shell(call.shell);
  if ('write' in call) return words.write(call.write);
  if ('edit' in call) return words.edit(call.edit);
  if ('read' in call) return words.read(call.read);
  if ('mcp' in call) return words.mcp(call.mcp);
  if ('question' in call) return words.question?.(call.question);
  if ('plan' in call) return words.plan?.(call.plan);
  if ('subagent' in call) return words.subagent?.(call.subagent);
  return undefined;
}

function offersAny(...names: string[]): (offered: OfferedTool[]) => boolean {
  return (offered) => offered.some((tool) => names.includes(tool.name));
}

function described(options: string[]): JsonObject[] {
  return options.map((label) => ({ label, description: `Choose ${label}` }));
}
