package import Model

/// Room on the disk is everybody's: the app that takes the last of it ends, on screen too. It would fail with its next
/// write anyway, and with it every other app and the system itself.
package enum Disk {
    package enum Event: Payload {
        /// The disk has next to no room left, and it is this app that took it.
        case filled(DiskUse)

        package enum Tag: UInt8, CaseIterable, Sendable { case filled = 60 }

        package var tag: Tag {
            switch self {
            case .filled: .filled
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .filled: self = .filled(DiskUse(written: 0, free: 0))
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .filled(var use):
                try coder.code(&use.written)
                try coder.code(&use.free)
                self = .filled(use)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .filled(let use):
                "\(name) wrote \(use.written.mebibytes), and \(use.free.mebibytes) are left on the disk"
            }
        }
    }

    static func handle(_ event: Event, _ i: Int, in scope: inout some Scope) {
        switch event {
        case .filled(let use): if !scope.isEnding(i) { scope.end(i, .filledDisk(use)) }
        }
    }
}
