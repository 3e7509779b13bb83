import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTables } from '../../scripts/docs-tables.ts';
import { ROOT } from '../world/paths.ts';
import { scalingTable } from './scaling.ts';
import { benchTable } from './table.ts';

const PAGES = ['docs/performance.md', 'docs/scaling.md'].map((name) => join(ROOT, name));

/** Puts the results into the documentation. */
export function writePages(): void {
  const tables = { bench: benchTable(), scaling: scalingTable() };
  for (const page of PAGES) writeFileSync(page, withTables(readFileSync(page, 'utf8'), tables));
}
