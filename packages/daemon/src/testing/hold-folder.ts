import { BatonError } from '@baton/protocol';
import { takeFolder } from '../folder.ts';

// Takes a folder as a daemon does, says whether it has it, and keeps it until its input ends.
const [folder = ''] = process.argv.slice(2);
process.stdout.write(outcome());
process.stdin.resume();

function outcome(): string {
  try {
    takeFolder(folder);
    return 'taken';
  } catch (error) {
    return BatonError.is(error) ? error.code : String(error);
  }
}
