import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

/** Makes an empty database on the PostgreSQL that all tests share, and gives its address. */
export async function sharedDatabase(): Promise<string> {
  const door = inject('postgres');
  if (door === undefined) throw new Error('The tests of this suite have no PostgreSQL.');
  const { url, error } = JSON.parse(await text(connect(door)));
  if (error !== undefined) throw new Error(`There is no PostgreSQL: ${error}`);
  return url;
}
