import Testing
import UIKit

extension UIKitTests {
    @Suite("Windows and controllers")
    @MainActor
    struct ViewTests {
        let application = UIApplication()

        init() { application.becomeShared() }

        @Test("Showing a window loads its controller's view and tells it that it appears")
        func shown() {
            let controller = NotesViewController()
            let window = UIWindow(frame: UIScreen.main.bounds)
            window.rootViewController = controller
            #expect(!controller.isViewLoaded)
            #expect(window.isHidden)
            window.makeKeyAndVisible()
            #expect(controller.calls == ["viewDidLoad", "viewWillAppear", "viewDidAppear"])
            #expect(controller.view.window === window)
            #expect(controller.view.frame == UIScreen.main.bounds)
            #expect(UIApplication.shared.keyWindow === window)
            window.makeKeyAndVisible()
            #expect(controller.calls.count == 3)
            window.isHidden = true
            #expect(controller.calls.suffix(2) == ["viewWillDisappear", "viewDidDisappear"])
            #expect(UIApplication.shared.keyWindow == nil)
        }

        @Test("A new root controller takes the place of the old one")
        func replaced() {
            let (first, second) = (NotesViewController(), NotesViewController())
            let window = UIWindow(frame: UIScreen.main.bounds)
            window.rootViewController = first
            window.makeKeyAndVisible()
            window.rootViewController = second
            #expect(first.calls.suffix(2) == ["viewWillDisappear", "viewDidDisappear"])
            #expect(second.calls == ["viewDidLoad", "viewWillAppear", "viewDidAppear"])
            #expect(window.subviews == [second.view])
        }

        @Test("The app does not hold its windows")
        func weakWindows() {
            let before = UIApplication.shared.windows.count
            do {
                let window = UIWindow(frame: .zero)
                window.makeKeyAndVisible()
                #expect(UIApplication.shared.windows.count == before + 1)
            }
            #expect(UIApplication.shared.windows.count == before)
        }

        @Test("The responder chain leads from a view to the app's delegate")
        func chain() {
            let delegate = SampleAppDelegate()
            application.delegate = delegate
            let controller = NotesViewController()
            let window = UIWindow(frame: .zero)
            window.rootViewController = controller
            window.makeKeyAndVisible()
            let button = UIView(frame: .zero)
            controller.view.addSubview(button)
            var chain: [UIResponder] = []
            var link: UIResponder? = button
            while let responder = link {
                chain.append(responder)
                link = responder.next
            }
            #expect(chain == [button, controller.view, controller, window, UIApplication.shared, delegate])
        }

        @Test("Only a responder that can becomes the first one, and there is one at a time")
        func firstResponder() {
            final class Field: UIView {
                var isStubborn = false
                override var canBecomeFirstResponder: Bool { true }
                override var canResignFirstResponder: Bool { !isStubborn }
            }
            let (first, second, plain) = (Field(frame: .zero), Field(frame: .zero), UIView(frame: .zero))
            #expect(!plain.becomeFirstResponder())
            #expect(first.becomeFirstResponder())
            #expect(second.becomeFirstResponder())
            #expect(!first.isFirstResponder)
            second.isStubborn = true
            #expect(!first.becomeFirstResponder())
            #expect(second.isFirstResponder)
            second.resignFirstResponder()
            #expect(!second.isFirstResponder)
        }

        @Test("What a controller presents appears and disappears with it")
        func presented() {
            let (back, front) = (NotesViewController(), NotesViewController())
            let window = UIWindow(frame: .zero)
            window.rootViewController = back
            back.present(front, animated: false)
            #expect(front.calls.isEmpty)
            window.makeKeyAndVisible()
            #expect(front.calls == ["viewDidLoad", "viewWillAppear", "viewDidAppear"])
            #expect(front.presentingViewController === back)
            var isDone = false
            front.dismiss(animated: false) { isDone = true }
            #expect(isDone)
            #expect(front.calls.suffix(2) == ["viewWillDisappear", "viewDidDisappear"])
            #expect(back.presentedViewController == nil)
        }
    }
}
