import type { OptionName } from '@baton/protocol';
import { ID as DEMO } from './backends/demo/name.ts';
import { backendEntries } from './registry.ts';

/** The backends that have an option, of their own or by Baton's hand; nobody would change over to the demo for one. */
export function backendsSupporting(option: OptionName): string[] {
  return backendEntries()
    .filter(({ id }) => id !== DEMO)
    .filter(({ capabilities }) => {
      const support = capabilities?.options[option].support ?? 'unsupported';
      return support !== 'unsupported';
    })
    .map(({ id }) => id);
}
