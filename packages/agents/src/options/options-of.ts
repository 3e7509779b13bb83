import type { BackendOptions } from './backend-options.ts';

/** The provider options of the backend of that name; anything, where the name is not known to the compiler. */
export type OptionsOf<Name extends string> = Name extends keyof BackendOptions
  ? BackendOptions[Name]
  : Record<string, unknown>;
