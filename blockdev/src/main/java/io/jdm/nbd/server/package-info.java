/** Exports block devices over NBD. */
package io.jdm.nbd.server;
