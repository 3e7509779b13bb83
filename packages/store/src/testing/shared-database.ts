import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

/** Makes an empty database on the PostgreSQL that all tests share, and gives its address. */
export async function sharedDatabase(): Promise<string> {
  const { url, error } = JSON.parse(await text(connect(inject('postgres'))));
  if (error !== undefined) throw new Error(`There is no PostgreSQL: ${error}`);
  return url;
}
