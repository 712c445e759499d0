import Host
import Testing

@Suite("The order of what is installed and uninstalled")
struct InstallOrderTests {
    @Test("An app that is to be uninstalled is installed after that, and others at once")
    func inOrder() {
        let order = InstallOrder()
        var done: [String] = []
        let before = order.next()
        let removal = order.beginRemoval(of: "radio")
        let after = order.next()
        #expect(order.removals.awaits("radio", before: after))
        // What was asked for first is not held up: it comes first.
        #expect(!order.removals.awaits("radio", before: before) && !order.removals.awaits("notes", before: after))
        order.wait(for: "radio", before: after) { done.append("radio") }
        order.wait(for: "notes", before: after) { done.append("notes") }
        #expect(done == ["notes"])
        order.endRemoval(of: "radio", removal)
        #expect(done == ["notes", "radio"] && !order.removals.awaits("radio", before: after))
    }

    @Test("Of several removals each counts for what came after it")
    func several() {
        let order = InstallOrder()
        var done: [Int] = []
        let first = order.beginRemoval(of: "radio")
        let one = order.next()
        let second = order.beginRemoval(of: "radio")
        let two = order.next()
        order.wait(for: "radio", before: two) { done.append(2) }
        order.wait(for: "radio", before: one) { done.append(1) }
        order.endRemoval(of: "radio", first)
        #expect(done == [1])
        order.endRemoval(of: "radio", second)
        #expect(done == [1, 2])
    }
}
