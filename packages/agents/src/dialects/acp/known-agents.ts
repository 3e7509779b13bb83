import type { AcpTraits } from './agent.ts';

/** An agent that speaks the Agent Client Protocol. */
export type KnownAgent = {
  /** Its name behind `acp:`. */
  name: string;
  label: string;
  /** The program, and the arguments with which it speaks the protocol. */
  command: string;
  args: readonly string[];
  install: string;
  /** Paths of the agent's settings in a folder. */
  settings?: readonly string[];
  /** Further files of a folder that it reads: a run in an untrusted folder is refused, but agents may edit them. */
  alsoLoads?: readonly string[];
  /** The release that answered `initialize` in a test; undefined if untested. */
  verified?: string;
  /** Actions that the real agent asked about in a test with a scripted model. */
  asks?: { release?: string; edits?: Asks; commands?: Asks };
  /** Measured traits of the agent. */
  traits?: AcpTraits;
};

/** `some`: commands on a list of its own pass unasked, also where they write, such as `uniq INPUT OUTPUT`. */
type Asks = 'yes' | 'no' | 'some';

/** True if an agent was seen to act without asking, so it cannot support `ask` and `auto`. */
export function actsUnasked({ asks }: Pick<KnownAgent, 'asks'>): boolean {
  const { edits = 'yes', commands = 'yes' } = asks ?? {};
  return edits !== 'yes' || commands !== 'yes';
}

/** Agents that are known to support the protocol. They are data: none of them has its own code. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'gemini',
    label: 'Gemini CLI over ACP',
    command: 'gemini',
    args: ['--acp'],
    install: 'baton backends install gemini',
    settings: ['.gemini'],
    alsoLoads: ['.env'],
    verified: '0.61.0',
    asks: { release: '0.61.0', edits: 'yes', commands: 'some' },
  },
  {
    name: 'opencode',
    label: 'OpenCode over ACP',
    command: 'opencode',
    args: ['acp'],
    install: 'baton backends install opencode',
    settings: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    verified: '1.18.33',
    asks: { release: '1.18.33', edits: 'no', commands: 'no' },
    traits: { usageScope: 'part' },
  },
  {
    name: 'droid',
    label: 'Droid over ACP',
    command: 'droid',
    args: ['exec', '--output-format', 'acp'],
    install: 'baton backends install droid',
    settings: ['.factory'],
    verified: '0.215.0',
    asks: { release: '0.215.0', edits: 'yes', commands: 'yes' },
  },
  {
    name: 'claude',
    label: 'Claude Code over ACP',
    command: 'claude-agent-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    settings: ['.claude', '.mcp.json'],
    verified: '0.49.0',
    asks: { release: '0.99.1', commands: 'yes' },
    traits: { usageScope: 'prompt' },
  },
  {
    name: 'codex',
    label: 'Codex over ACP',
    command: 'codex-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/codex-acp',
    settings: ['.codex'],
    verified: '2.6.0',
    // In its mode "read-only" it asks before edits, and runs commands unasked in a sandbox.
    asks: { release: '2.6.0', edits: 'no', commands: 'no' },
    traits: { usageScope: 'prompt' },
  },
  {
    name: 'qwen',
    label: 'Qwen Code',
    command: 'qwen',
    args: ['--acp'],
    install: 'npm install -g @qwen-code/qwen-code',
    settings: ['.qwen'],
    // It takes the URL that gets the key from there, unless the user turned on its own trust in folders.
    alsoLoads: ['.env'],
    verified: '0.15.10',
    asks: { release: '0.15.10', edits: 'yes', commands: 'some' },
  },
  {
    name: 'copilot',
    label: 'GitHub Copilot CLI',
    command: 'copilot',
    args: ['--acp'],
    install: 'npm install -g @github/copilot',
    settings: [
      '.github/copilot',
      '.github/hooks',
      '.github/mcp.json',
      '.mcp.json',
      '.vscode/mcp.json',
      '.claude',
    ],
    verified: '1.0.102',
    asks: { release: '1.0.102', commands: 'yes' },
    traits: {
      usageScope: 'session',
      isErrorText: (text) => text.startsWith('Error: '),
      ignoresMcpPrograms: true,
    },
  },
  {
    name: 'auggie',
    label: 'Auggie',
    command: 'auggie',
    args: ['--acp'],
    install: 'npm install -g @augmentcode/auggie',
    settings: ['.augment'],
    verified: '0.36.0',
  },
  {
    name: 'cline',
    label: 'Cline',
    command: 'cline',
    args: ['--acp'],
    install: 'npm install -g cline',
    settings: ['.clinerules'],
    verified: '3.0.65',
  },
  {
    name: 'pi',
    label: 'Pi over ACP',
    command: 'pi-acp',
    args: [],
    install: 'npm install -g pi-acp',
    settings: ['.pi'],
    verified: '0.0.34',
  },
  {
    name: 'qoder',
    label: 'Qoder CLI',
    command: 'qodercli',
    args: ['--acp'],
    install: 'npm install -g @qoder-ai/qodercli',
    settings: ['.qoder'],
    verified: '1.1.52',
  },
  {
    name: 'cursor',
    label: 'Cursor CLI',
    command: 'cursor-agent',
    args: ['acp'],
    install: 'curl https://cursor.com/install -fsS | bash',
    // It can run the hooks of Claude Code too.
    settings: ['.cursor', '.claude'],
    // Its own backend has found that out.
    asks: { edits: 'no' },
  },
  {
    name: 'goose',
    label: 'Goose',
    command: 'goose',
    args: ['acp'],
    install: 'brew install block-goose-cli',
    settings: ['.goosehints'],
  },
  {
    name: 'kilo',
    label: 'Kilo Code CLI',
    command: 'kilo',
    args: ['acp'],
    install: 'npm install -g @kilocode/cli',
    // It is made from OpenCode.
    settings: [
      '.kilo',
      'kilo.json',
      'kilo.jsonc',
      '.kilocode',
      '.opencode',
      'opencode.json',
      'opencode.jsonc',
    ],
    asks: { release: '7.7.7', commands: 'no' },
    traits: { usageScope: 'part' },
  },
  {
    name: 'kimi',
    label: 'Kimi CLI',
    command: 'kimi',
    args: ['acp'],
    install: 'uv tool install kimi-cli',
    asks: { release: '2.1.0', commands: 'yes' },
  },
  {
    name: 'kiro',
    label: 'Kiro CLI',
    command: 'kiro-cli',
    args: ['acp'],
    install: 'curl -fsSL https://cli.kiro.dev/install | bash',
    settings: ['.kiro'],
  },
  {
    name: 'openhands',
    label: 'OpenHands',
    command: 'openhands',
    args: ['acp'],
    install: 'uv tool install openhands',
    settings: ['.openhands'],
  },
  {
    name: 'vibe',
    label: 'Mistral Vibe',
    command: 'vibe-acp',
    args: [],
    install: 'uv tool install mistral-vibe',
    settings: ['.vibe'],
  },
];

/** Settings paths of these agents. */
export const KNOWN_ACP_SETTINGS: readonly string[] = KNOWN_AGENTS.flatMap(
  ({ settings = [] }) => settings,
);
