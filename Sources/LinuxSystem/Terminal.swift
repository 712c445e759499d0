internal import CLinux
internal import Glibc

/// A pseudo-terminal.
package struct Terminal: Sendable {
    package let master: Descriptor
    package let slave: Descriptor

    /// The corresponding C function is `openpty`; the size is 24 by 80 until somebody attaches.
    package static func open() throws(SystemError) -> Terminal {
        var master: CInt = -1
        var slave: CInt = -1
        try check("openpty") { unsafe gr_open_pty(&master, &slave) }
        return Terminal(master: Descriptor(owning: master), slave: Descriptor(owning: slave))
    }

    package func give(to uid: UInt32) throws(SystemError) {
        let fd = slave.rawValue
        try check("fchown") { fchown(fd, uid, uid) }
    }

    package static func setSize(_ terminal: Descriptor, rows: UInt16, columns: UInt16) {
        _ = gr_set_window_size(terminal.rawValue, rows, columns)
    }
}
