internal import CQuiescence
internal import Foundation
internal import Synchronization

/// Those of the device whose time the app has, where a C function finds them.
private let current = Mutex<Sleepers?>(nil)

/// The device's time for code that takes its clock from nowhere: what it waits for goes to the device's sleepers.
enum VirtualTime {
    static func begin(_ sleepers: Sleepers) {
        current.withLock { $0 = sleepers }
        unsafe quiescence_set_timer_action { timer in
            guard let timer = unsafe timer else { return }
            // What Foundation gives to the run loop's timer along with it.
            unsafe Unmanaged<Timer>.fromOpaque(timer).takeUnretainedValue().fire()
        }
        unsafe quiescence_route { deadline, item in
            guard let item = unsafe item else { return }
            let kept = unsafe VirtualTime.Item(item)
            current.withLock { $0 }?.add(kept, until: deadline)
        }
    }

    static func end() {
        quiescence_route(nil)
        current.withLock { $0 = nil }
    }

    /// Something that waits. `@unchecked`, since it is only handed on: fired once, on the main queue, or dropped.
    @safe final class Item: @unchecked Sendable {
        private var item: OpaquePointer?

        @unsafe init(_ item: OpaquePointer) { unsafe self.item = item }

        deinit { if let item = unsafe item { unsafe quiescence_drop(item) } }

        /// Whether it does anything when its moment comes.
        var isWaiting: Bool {
            guard let item = unsafe item else { return false }
            return unsafe quiescence_waits(item)
        }

        func fire() {
            guard let item = unsafe item else { return }
            unsafe self.item = nil
            unsafe quiescence_fire(item)
        }
    }
}
