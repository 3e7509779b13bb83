import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTables } from '../../scripts/docs-tables.ts';
import { ROOT } from '../world/paths.ts';
import { benchTable } from './table.ts';

const PAGE = join(ROOT, 'docs/performance.md');

/** Puts the results into the documentation. */
export function writePage(): void {
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), { bench: benchTable() }));
}
