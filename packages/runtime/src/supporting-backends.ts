import type { Capabilities, OptionName } from '@baton/protocol';
import { claudeCapabilities } from './backends/claude/capabilities.ts';
import { codexCapabilities } from './backends/codex/capabilities.ts';

/** The agents that Baton comes with; not the demo, because nobody would change over to it for an option. */
const TABLES: Readonly<Record<string, Capabilities>> = {
  'claude-cli': claudeCapabilities,
  'codex-cli': codexCapabilities,
};

/** The built-in backends that have an option, of their own or by Baton's hand. */
export function backendsSupporting(option: OptionName): string[] {
  return Object.entries(TABLES)
    .filter(([, { options }]) => options[option].support !== 'unsupported')
    .map(([id]) => id);
}
