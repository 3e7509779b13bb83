import type { Json } from '@baton/config/values/json';

/** The text of a configuration file, of which only the servers are changed. */
export interface ConfigText {
  /** The servers by name, as the file has them. */
  servers(): ReadonlyMap<string, unknown>;
  /** The text with a further server, whose name must be free. */
  withServer(name: string, server: Json): string;
  /** The text without the server of that name. */
  withoutServer(name: string): string;
}

/** Error in a text of some format: the reason and the offset. */
export class MalformedText extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}
