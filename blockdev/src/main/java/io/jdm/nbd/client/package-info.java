/** Remote exports as block devices. */
package io.jdm.nbd.client;
