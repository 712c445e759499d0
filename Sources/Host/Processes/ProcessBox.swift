package import LinuxSystem

/// Where all processes of one app live: what can be frozen, thawed and ended as a whole.
package protocol ProcessBox: AnyObject {
    /// The mechanism, for `doctor` and reports.
    var mechanism: String { get }
    /// The descriptor to start the first process into, if the mechanism has one.
    var birthplace: Descriptor? { get }
    func processes() -> [CInt]
    /// The same for a worker.
    var census: @Sendable () -> [CInt] { get }
    /// Whether the kernel says that nothing in it runs.
    var isFrozen: Bool { get }
    var isPopulated: Bool { get }
    func freeze() throws(SystemError)
    func thaw() throws(SystemError)
    /// May be asked again, for as long as something lives.
    func kill() throws(SystemError)
    /// Where the kernel takes memory of the box when so many bytes are written, if it has that.
    var reclaimFile: String? { get }
    /// Where the kernel tells what memory the box has, if it counts that.
    var memoryFile: String? { get }
    /// What ends it without a look, if the kernel has it.
    var killSwitch: KillSwitch? { get }
    func signal(_ number: CInt)
    /// Nanoseconds of processor time used so far.
    var processorTime: Int64? { get }
    /// Calls whenever `isFrozen` or `isPopulated` may have changed.
    func watch(_ loop: Loop, _ changed: @escaping () -> Void) throws(SystemError)
    /// It stands still: what is open for it only so that it is quick is let go.
    func rest()
    /// The box is empty and not needed any more.
    func remove()
}
