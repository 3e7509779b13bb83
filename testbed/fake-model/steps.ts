/** Action of the model in one turn, in vendor-neutral terms. */
export type Step = Answer | Fault;

/** A turn that reaches the agent: thoughts first, then text, then tool calls. */
export interface Answer {
  thinking?: string | undefined;
  /** A string is cut into deltas for you; an array is the deltas themselves. */
  text?: string | string[];
  tools?: ToolCall[];
  usage?: Partial<Usage>;
  /** Defaults to `tools` when there are tool calls, else `end`. */
  stopReason?: StopReason;
  /** Silence before the first byte of the answer. */
  delayMs?: number;
  /** Silence after every delta of text or thought. */
  deltaDelayMs?: number;
  /** Send every multi-byte character in two TCP writes. */
  splitCharacters?: boolean;
}

/** A tool call by its effect; the request decides which tool of the agent it maps to. */
export type ToolCall =
  | { shell: string }
  | { write: { path: string; content: string } }
  | { edit: { path: string; old: string; new: string } }
  | { read: string }
  | { mcp: { server: string; tool: string; input: Record<string, unknown> } }
  | { question: Question }
  | { plan: PlanStep[] }
  | { subagent: { prompt: string } }
  /** Exactly this call; a string is the input of a free-form tool. */
  | { raw: { name: string; input: Record<string, unknown> | string } };

export interface Question {
  question: string;
  options: string[];
}

export interface PlanStep {
  step: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** Token counts: `cached` is part of `input`, and `reasoning` is part of `output`. */
export interface Usage {
  input: number;
  output: number;
  cached: number;
  reasoning: number;
}

export type StopReason = 'end' | 'tools' | 'max_tokens' | 'refusal';

/** A turn that fails: for ever, or `times` times before the next step. */
export type Fault = { times?: number } & (
  | {
      status: number;
      body?: Record<string, unknown> | string;
      headers?: Record<string, string> | undefined;
    }
  | { fault: FaultKind; headers?: Record<string, string> | undefined }
  | { drop: 'before-headers' | 'mid-stream' | 'hard' }
  | { hang: 'before-headers' | 'mid-stream' }
);

/** A failure by its meaning; each API returns it as its vendor does. */
export type FaultKind = FailureKind | 'refusal' | 'max_tokens';

export type FailureKind =
  | 'bad_request'
  | 'auth'
  | 'forbidden'
  | 'not_found_model'
  | 'rate_limited'
  | 'overloaded'
  | 'quota'
  | 'context_too_long'
  | 'server_error'
  | 'html502';
