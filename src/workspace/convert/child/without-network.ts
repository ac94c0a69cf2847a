// Disables the network of this process before any library is loaded, because no document has a reason to
// contact anything. A box has no network anyway; this is for machines without one.
import { Socket as DatagramSocket } from 'node:dgram';
import { Socket } from 'node:net';

const refuse = (): never => {
  throw new Error('Conversion has no network.');
};

Socket.prototype.connect = refuse;
DatagramSocket.prototype.send = refuse;
