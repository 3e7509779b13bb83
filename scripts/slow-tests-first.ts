import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests wait for things to go wrong or start many programs, the slowest first. */
const SLOW = [
  /\/chaos\//,
  /\/scripts\//,
  /\/web\/browser\//,
  /\/e2e\/|\.e2e\./,
  /\/cli\/.*\.process\./,
  /\.process\./,
];

/** Begins with what takes long, so that no core is idle at the end. */
export default class SlowTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

function rank(file: string): number {
  const place = SLOW.findIndex((pattern) => pattern.test(file));
  return place === -1 ? SLOW.length : place;
}
