/** How the bytes of NBD travel: sockets, with and without TLS. */
package io.jdm.nbd.transport;
