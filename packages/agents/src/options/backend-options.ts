import type { Prices } from '@baton/engine/prices/estimate-cost';

/** Provider options of Claude Code. */
export interface ClaudeOptions extends PriceOptions {
  /** Folders beside the working directory that the agent may use (`--add-dir`). */
  addDirs?: string[] | undefined;
  /** Sub-agents by their names (`--agents`). */
  agents?: Record<string, unknown> | undefined;
  /** Thinking effort of the model (`--effort`). */
  effort?: string | undefined;
  /** The model to use while the main one is overloaded (`--fallback-model`). */
  fallbackModel?: string | undefined;
  /** Starts in plan mode: the agent plans, and asks before it carries the plan out. */
  plan?: boolean | undefined;
  /** Output format of Claude with the transport `print`. */
  outputFormat?: 'json' | 'stream-json' | 'text' | undefined;
}

/** Provider options of every agent. */
interface PriceOptions {
  /** Prices in US dollars, for `usage.costUsd` of an agent that reports tokens but no cost. */
  prices?: Prices | undefined;
}

/** Provider options of Codex. */
export interface CodexOptions extends PriceOptions {}

/** Provider options of Droid. */
export interface DroidOptions extends PriceOptions {
  /** The risk up to which Droid acts unasked, in permission mode `allow-all` (`--auto`). */
  autonomy_level?: 'off' | 'low' | 'medium' | 'high' | undefined;
  /** Thinking effort of the model (`--reasoning-effort`). */
  reasoning_effort?: 'off' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
}

/** Provider options of Amp. */
export interface AmpOptions extends PriceOptions {
  /** The mode of Amp, which chooses the model (`--mode`). */
  mode?: string | undefined;
  /** Shows the thinking of the model (`--stream-json-thinking`). */
  thinking?: boolean | undefined;
}

/** Provider options of Cursor. */
export interface CursorOptions extends PriceOptions {
  /** A mode of Cursor in which it only reads (`--mode`), with the transport `print`. */
  mode?: 'ask' | 'plan' | undefined;
}

/** Provider options of Pi. */
interface PiOptions extends PriceOptions {
  /** Turns on the tools read, bash, edit and write. */
  tools?: boolean | undefined;
  /** Thinking effort of the model; off by default. */
  thinking?: 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
}

/** Provider options of the demo agent. */
export interface DemoOptions extends PriceOptions {
  /** Milliseconds between two words. */
  pace?: number | undefined;
}

/**
 * The provider options of each backend, by its name. The package of another backend adds its own:
 * `declare module '@baton/runtime' { interface BackendOptions { mine: MyOptions } }`.
 */
export interface BackendOptions {
  'claude-cli': ClaudeOptions;
  claude: ClaudeOptions;
  'claude-code': ClaudeOptions;
  'codex-cli': CodexOptions;
  codex: CodexOptions;
  droid: DroidOptions;
  amp: AmpOptions;
  'cursor-cli': CursorOptions;
  cursor: CursorOptions;
  pi: PiOptions;
  demo: DemoOptions;
}
