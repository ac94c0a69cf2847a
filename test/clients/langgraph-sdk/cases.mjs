// The official client in three versions.
import { Client as Client1x12 } from 'langgraph-sdk-1-12';
import { Client as Client1x15 } from 'langgraph-sdk-1-15';
import { Client as Client2x0 } from 'langgraph-sdk-2-0';
import { casesOf } from '../sdk-cases.mjs';

export const clients = (server) => [
  { client: '@langchain/langgraph-sdk', version: '1.12.1', cases: casesOf(new Client1x12(server)) },
  { client: '@langchain/langgraph-sdk', version: '1.15.0', cases: casesOf(new Client1x15(server)) },
  { client: '@langchain/langgraph-sdk', version: '2.0.0', cases: casesOf(new Client2x0(server)) },
];
