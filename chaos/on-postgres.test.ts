import { playRoundsOn } from './rounds.ts';

playRoundsOn('postgres');
