import { type AgentEvent, actionLine, shortened } from '@baton/protocol';
import { type MentionRules, neutralizeMentions } from '../text/mentions.ts';
import { splitMessage } from '../text/split-message.ts';

/** The longest line about a tool; commands can be long. */
const TOOL_LINE = 120;
/** Room for the line about tools and the blank line before it. */
const RESERVED = TOOL_LINE + 60;
/** More is not shown on any platform. */
const MAX_EARLIER = 20_000;

/** Text of a reply while the agent works: the end of the text so far, and one line about its tools. */
export class LiveText {
  /** Text of the agent before its current message. */
  #earlier = '';
  #text = '';
  #messageId: string | undefined;
  #tools = 0;
  /** The tools that run, by call id; the last one is shown. */
  #running = new Map<string, { name: string; line: string }>();
  #cwd: string | undefined;

  see(event: AgentEvent): void {
    // The tools of sub-agents are shown, but what they say is not the answer.
    if (event.type === 'run.started') this.#cwd = event.cwd;
    if (event.type === 'tool.started') {
      this.#tools += 1;
      const line = actionLine(event.name, event.action, this.#cwd);
      this.#running.set(event.callId, { name: event.name, line });
    }
    if (event.type === 'tool.updated' && event.action) {
      const running = this.#running.get(event.callId);
      if (running) running.line = actionLine(running.name, event.action, this.#cwd);
    }
    if (event.type === 'tool.completed') this.#running.delete(event.callId);
    if (!('kind' in event) || event.kind !== 'text' || event.parentId) return;
    // A message that begins again takes the place of the one that a failed attempt began.
    if (event.type === 'message.started' && event.messageId === this.#messageId) this.#text = '';
    if (event.type !== 'message.delta') return;
    if (event.messageId !== this.#messageId) {
      this.#earlier = joined([this.#earlier, this.#text]).slice(-MAX_EARLIER);
      this.#text = '';
    }
    this.#messageId = event.messageId;
    this.#text += event.text;
  }

  /** True if the agent wrote something before its last message. */
  get hasEarlier(): boolean {
    return this.#earlier !== '';
  }

  /** Called when the prompt runs again: the text so far is discarded. */
  restart(): void {
    this.#earlier = '';
    this.#text = '';
    this.#messageId = undefined;
    this.#tools = 0;
    this.#running.clear();
  }

  /** Returns the text within a limit; empty if there is nothing to show yet. */
  render(limit: number, mentions: MentionRules): string {
    const end = endOf(joined([this.#earlier, this.#text]), limit, mentions);
    return joined([end, this.#toolLine(mentions) ?? '']);
  }

  /** Returns the final text of a draft whose answer is sent below it: everything that the answer does not contain. */
  summary(limit: number, mentions: MentionRules, isFailed: boolean): string {
    const said = isFailed ? joined([this.#earlier, this.#text]) : this.#earlier;
    const tools = this.#tools === 0 ? '' : `🔧 ${this.#count()} used`;
    return joined([endOf(said, limit, mentions), tools]) || '💬 The answer is below.';
  }

  #count(): string {
    return this.#tools === 1 ? '1 tool' : `${this.#tools} tools`;
  }

  #toolLine(mentions: MentionRules): string | undefined {
    if (this.#tools === 0) return undefined;
    const count = this.#count();
    const running = [...this.#running.values()].at(-1);
    if (running === undefined) return `⏳ ${count} used`;
    // Within a code span, so that nothing in it is markup.
    const line = neutralizeMentions(running.line.replaceAll('`', "'"), mentions);
    return `⏳ \`${shortened(line, TOOL_LINE)}\` · ${count}`;
  }
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The last message that a text would be split into. */
function endOf(text: string, limit: number, mentions: MentionRules): string {
  return splitMessage(neutralizeMentions(text, mentions), limit - RESERVED, mentions).at(-1) ?? '';
}
