import { playRoundsOn } from './rounds.ts';

playRoundsOn('sqlite');
