// Takes the network from this process, before any library is loaded: no document has a reason to ask anybody anything.
// In a box there is none anyway; this is for machines without one.
import { Socket as DatagramSocket } from 'node:dgram';
import { Socket } from 'node:net';

const refuse = (): never => {
  throw new Error('Conversion has no network.');
};

Socket.prototype.connect = refuse;
DatagramSocket.prototype.send = refuse;
