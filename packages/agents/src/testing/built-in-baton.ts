import { Settings } from '@baton/config/settings/load-settings';
import { Baton } from '../registry/baton.ts';
import { Registry } from '../registry/registry.ts';

/** A Baton of the built-in backends, without settings. */
export function builtInBaton(): Baton {
  return new Baton(new Registry(), new Settings(new Map(), []));
}
